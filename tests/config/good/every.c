void every(void) {}
