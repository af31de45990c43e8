void every_f64(void) {}
