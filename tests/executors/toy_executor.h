/* Interface of the toy executor to its test. */
#ifndef ZC_TESTS_EXECUTORS_TOY_EXECUTOR_H
#define ZC_TESTS_EXECUTORS_TOY_EXECUTOR_H

/* Stages that it has prepared and not released. */
int toy_executor_alive(void);

#endif
