int half(int number);
