# install.packages("tlda"); the values kept are those that its README prints (github.com/lsoenning/tlda, commit 305da67).
library(tlda)
x <- c(2, 0, 1, 1, 3, 0, 3, 0, 0, 0)
y <- c(8143, 8058, 8271, 8125, 7959, 7941, 8146, 8001, 8003, 7930)
disp(subfreq = x, partsize = y, directionality = "conventional")
disp(subfreq = x, partsize = y, directionality = "gries")
