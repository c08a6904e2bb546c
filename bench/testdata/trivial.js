// expect: 3
1 + 2
