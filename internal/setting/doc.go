// Package setting reads settings of structs by their tags: each field is one Key, which is
// a name in a file, a flag and a variable of the environment at once, with its help, its
// default, and the values it takes. Types whose text has words beside numbers, such as
// auto, are here, too.
package setting
