/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What cppcheck must know of headers it does not read: macros that are loops. From ci/lint. */
#define json_array_foreach(array, i, value) \
	for ((i) = 0; ((value) = json_array_get(array, i)); (i)++)
#define json_object_foreach(object, key, value) \
	for ((key) = ""; ((value) = json_object_get(object, key));)
