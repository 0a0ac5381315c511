#include "infra/posix/hint.h"

#include <cerrno>

namespace lastro {

std::string hint_for(int error) {
  if (error == ENOSPC || error == EDQUOT) return " free some space and run the same command again";
  if (error == EROFS || error == EACCES || error == EPERM || error == ENOTDIR) return " choose a folder that you may write to (--run, --store)";
  if (error == EMFILE || error == ENFILE) return " allow more open files (ulimit -n)";
  return "";
}

}   // namespace lastro
