# Properties of all our tests.

# Criterion leaves the exit code 0 when a test leaks, so the sanitizers' words fail a test, too.
function(zerocast_test_properties)
    set_tests_properties(${ARGV} PROPERTIES FAIL_REGULAR_EXPRESSION "Sanitizer|runtime error" TIMEOUT 1200)
endfunction()
