// about: nothing at all
// expect: load_error load
// near: honest/plain.c
