/*
 * The texts of --help, for zc_format_names_print().
 */
#ifndef ZC_TOOLS_COMMAND_HELP_H
#define ZC_TOOLS_COMMAND_HELP_H

extern const char zc_help_all[];
extern const char zc_help_eval[];
extern const char zc_help_explain[];
extern const char zc_help_help[];
extern const char zc_help_convert[];
extern const char zc_help_info[];
extern const char zc_help_show[];

#endif
