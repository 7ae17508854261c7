// ACL: compiling kernels at run time. A program's source and headers go into a temporary folder, the driver `bisheng`
// compiles them there to a binary (ferrata/asc/runtime.py), and what it said is the compile log.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>
#include "acl/acl_rt_compile.h"
#include "acl_state.h"

extern char **environ;

namespace ferrata {
namespace {
struct Program {
  std::string source, name;
  std::vector<std::pair<std::string, std::string>> headers;          // include name, text
  std::vector<std::pair<std::string, std::string>> name_expressions; // expression, lowered name
  std::string log, binary;
  bool compiled = false; // successfully
};
struct Programs {
  std::mutex mutex; // of the list; one program is used by one thread at a time
  std::vector<std::unique_ptr<Program>> all;
};
Programs &programs() {
  static Programs *const state = new Programs;
  return *state;
}

Program *find(aclrtcProg handle) {
  std::lock_guard<std::mutex> lock(programs().mutex);
  for (const auto &program : programs().all)
    if (program.get() == handle)
      return program.get();
  return nullptr;
}

int no_program(const char *function) {
  return acl_error(ACL_ERROR_RTC_INVALID_PROG, function, "not a program of aclrtcCreateProg");
}

// A name below a folder, without a way out of it.
bool inside(const std::string &name) {
  if (name.empty() || name[0] == '/' || name.back() == '/')
    return false;
  for (size_t at = 0; at != std::string::npos;) {
    const size_t end = name.find('/', at);
    if (name.compare(at, end == std::string::npos ? end : end - at, "..") == 0)
      return false;
    at = end == std::string::npos ? end : end + 1;
  }
  return true;
}

bool write_file(const std::string &path, const std::string &text) {
  for (size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1))
    mkdir(path.substr(0, at).c_str(), 0700);
  FILE *file = fopen(path.c_str(), "wb");
  if (!file)
    return false;
  const bool whole = fwrite(text.data(), 1, text.size(), file) == text.size();
  return fclose(file) == 0 && whole;
}

bool read_file(const std::string &path, std::string &text) {
  FILE *file = fopen(path.c_str(), "rb");
  if (!file)
    return false;
  text.clear();
  char part[65536];
  for (size_t n; (n = fread(part, 1, sizeof part, file)) > 0;)
    text.append(part, n);
  fclose(file);
  return true;
}

// The driver: beside this library when that lies in a home folder, of the environment, or on PATH.
std::string driver() {
  std::vector<std::string> tried;
  Dl_info here;
  if (dladdr(reinterpret_cast<const void *>(&driver), &here) && here.dli_fname) {
    const std::string library = here.dli_fname;
    const size_t folder = library.rfind("/lib64/");
    if (folder != std::string::npos)
      tried.push_back(library.substr(0, folder) + "/bin/bisheng");
  }
  if (const char *home = getenv("ASCEND_HOME_PATH"))
    tried.push_back(std::string(home) + "/bin/bisheng");
  if (const char *path = getenv("PATH")) {
    const std::string all = path;
    for (size_t at = 0; at <= all.size();) {
      size_t end = all.find(':', at);
      end = end == std::string::npos ? all.size() : end;
      tried.push_back(all.substr(at, end - at) + "/bisheng");
      at = end + 1;
    }
  }
  for (const std::string &path : tried)
    if (access(path.c_str(), X_OK) == 0)
      return path;
  return "";
}

// A temporary folder that ends with the scope.
struct Folder {
  std::string path;
  std::vector<std::string> files; // below it
  Folder() {
    const char *base = getenv("TMPDIR");
    path = std::string(base && *base ? base : "/tmp") + "/ferrata-rtc-XXXXXX";
    if (!mkdtemp(path.data()))
      path.clear();
  }
  ~Folder() {
    for (const std::string &file : files) {
      unlink((path + "/" + file).c_str());
      for (size_t at = file.rfind('/'); at != std::string::npos && at; at = file.rfind('/', at - 1))
        rmdir((path + "/" + file.substr(0, at)).c_str());
    }
    if (!path.empty())
      rmdir(path.c_str());
  }
  bool add(const std::string &name, const std::string &text) {
    files.push_back(name);
    return write_file(path + "/" + name, text);
  }
};

// The exit code of a command whose output goes to a file; -1 when it could not be started.
int run(const std::vector<std::string> &words, const std::string &output) {
  std::vector<char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int started = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (started != 0)
    return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Whether every error of the log is in the lines that name expressions became.
bool only_expressions_failed(const std::string &log) {
  bool any = false;
  for (size_t at = 0; at < log.size();) {
    size_t end = log.find('\n', at);
    end = end == std::string::npos ? log.size() : end;
    const std::string line = log.substr(at, end - at);
    if (line.find(": error:") != std::string::npos) {
      any = true;
      if (line.compare(0, 15, "name expression") != 0)
        return false;
    }
    at = end + 1;
  }
  return any;
}

// The symbols of the name expressions' kernels. A kernel without one is found by the function that gives its address.
bool find_lowered_names(Program &program, const std::string &library) {
  if (program.name_expressions.empty())
    return true;
  void *loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!loaded)
    return false;
  for (size_t i = 0; i < program.name_expressions.size(); ++i) {
    const std::string finder = "ferrata_name_expression_" + std::to_string(i);
    std::string &lowered = program.name_expressions[i].second;
    lowered = finder;
    if (void *function = dlsym(loaded, finder.c_str())) {
      void *address = reinterpret_cast<void *(*)()>(function)();
      Dl_info found;
      if (dladdr(address, &found) && found.dli_sname && found.dli_saddr == address)
        lowered = found.dli_sname;
    }
  }
  dlclose(loaded);
  return true;
}
} // namespace
} // namespace ferrata

using namespace ferrata;

aclError aclrtcCreateProg(aclrtcProg *prog, const char *src, const char *name, int numHeaders, const char **headers,
                          const char **includeNames) {
  constexpr const char *function = "aclrtcCreateProg";
  if (!prog || !src || numHeaders < 0 || (numHeaders > 0 && (!headers || !includeNames)))
    return acl_error(ACL_ERROR_RTC_INVALID_INPUT, function, "prog, src or the headers are null, or numHeaders is < 0");
  auto program = std::make_unique<Program>();
  program->source = src;
  program->name = name && *name ? name : "default_program";
  for (char &letter : program->name) // it names a file too
    if (letter == '/' || letter == '\n')
      letter = '_';
  for (int i = 0; i < numHeaders; ++i) {
    if (!headers[i] || !includeNames[i] || !inside(includeNames[i]) || includeNames[i] == program->name)
      return acl_error(ACL_ERROR_RTC_INVALID_INPUT, function,
                       "header " + std::to_string(i) + " has no text, or no include name that is a relative path");
    program->headers.emplace_back(includeNames[i], headers[i]);
  }
  std::lock_guard<std::mutex> lock(programs().mutex);
  *prog = program.get();
  programs().all.push_back(std::move(program));
  return ACL_SUCCESS;
}

aclError aclrtcDestroyProg(aclrtcProg *prog) {
  std::lock_guard<std::mutex> lock(programs().mutex);
  auto &all = programs().all;
  for (size_t i = 0; prog && i < all.size(); ++i)
    if (all[i].get() == *prog) {
      all.erase(all.begin() + static_cast<long>(i));
      *prog = nullptr;
      return ACL_SUCCESS;
    }
  return no_program("aclrtcDestroyProg");
}

aclError aclrtcCompileProg(aclrtcProg prog, int numOptions, const char **options) {
  constexpr const char *function = "aclrtcCompileProg";
  Program *program = find(prog);
  if (!program)
    return no_program(function);
  if (numOptions < 0 || (numOptions > 0 && !options))
    return acl_error(ACL_ERROR_RTC_INVALID_INPUT, function, "options is null, or numOptions is < 0");
  program->compiled = false;
  program->log.clear();
  program->binary.clear();
  const std::string compiler = driver();
  if (compiler.empty()) {
    program->log = "bisheng was not found: source the installation's set_env.sh\n";
    return acl_error(ACL_ERROR_RTC_FAILURE, function, "bisheng was not found: source the installation's set_env.sh");
  }
  Folder folder, results;
  std::string text = program->source + "\n";
  for (size_t i = 0; i < program->name_expressions.size(); ++i)
    text += "#line 1 \"name expression " + std::to_string(i + 1) + "\"\nFERRATA_NAME_EXPRESSION(" + std::to_string(i) +
            ", " + program->name_expressions[i].first + ")\n";
  bool written = !folder.path.empty() && !results.path.empty() && folder.add(program->name, text);
  for (const auto &header : program->headers)
    written = written && folder.add(header.first, header.second);
  if (!written)
    return acl_error(ACL_ERROR_RTC_FAILURE, function, "cannot write to the folder for temporary files");
  results.files = {"binary.so", "log"};
  const std::string binary = results.path + "/binary.so", log = results.path + "/log";
  std::vector<std::string> words = {compiler, "--runtime-compile", folder.path, program->name, binary};
  words.push_back(std::string("--npu-arch=") + device_chip().arch); // unless an option says another
  for (int i = 0; i < numOptions; ++i) {
    if (!options[i])
      return acl_error(ACL_ERROR_RTC_INVALID_OPTION, function, "option " + std::to_string(i) + " is null");
    words.emplace_back(options[i]);
  }
  const int code = run(words, log);
  (void)read_file(log, program->log);
  const std::string first = program->log.substr(0, program->log.find('\n'));
  switch (code) {
  case 0:
    break;
  case 1:
    if (only_expressions_failed(program->log))
      return acl_error(ACL_ERROR_RTC_NAME_EXPR_NOT_VALID, function, first);
    return acl_error(ACL_ERROR_RTC_COMPILATION, function, "the source does not compile: " + first);
  case 2:
    return acl_error(ACL_ERROR_RTC_INVALID_OPTION, function, first);
  case 3:
    return acl_error(ACL_ERROR_RTC_LINKING, function, first);
  default:
    return acl_error(ACL_ERROR_RTC_FAILURE, function,
                     compiler + " ended with code " + std::to_string(code) + "; " + first);
  }
  if (!read_file(binary, program->binary) || !find_lowered_names(*program, binary))
    return acl_error(ACL_ERROR_RTC_FAILURE, function, "the binary cannot be read");
  program->compiled = true;
  return ACL_SUCCESS;
}

aclError aclrtcGetBinDataSize(aclrtcProg prog, size_t *size) {
  const Program *program = find(prog);
  if (!program)
    return no_program("aclrtcGetBinDataSize");
  if (!size)
    return acl_error(ACL_ERROR_RTC_INVALID_INPUT, "aclrtcGetBinDataSize", "binDataSizeRet is null");
  if (!program->compiled)
    return acl_error(ACL_ERROR_RTC_INVALID_PROG, "aclrtcGetBinDataSize", "the program is not compiled");
  *size = program->binary.size();
  return ACL_SUCCESS;
}

aclError aclrtcGetBinData(aclrtcProg prog, char *data) {
  const Program *program = find(prog);
  if (!program)
    return no_program("aclrtcGetBinData");
  if (!data)
    return acl_error(ACL_ERROR_RTC_INVALID_INPUT, "aclrtcGetBinData", "binData is null");
  if (!program->compiled)
    return acl_error(ACL_ERROR_RTC_INVALID_PROG, "aclrtcGetBinData", "the program is not compiled");
  memcpy(data, program->binary.data(), program->binary.size());
  return ACL_SUCCESS;
}

aclError aclrtcAddNameExpr(aclrtcProg prog, const char *const expression) {
  constexpr const char *function = "aclrtcAddNameExpr";
  Program *program = find(prog);
  if (!program)
    return no_program(function);
  if (!expression || !*expression || strchr(expression, '\n'))
    return acl_error(ACL_ERROR_RTC_INVALID_INPUT, function, "the name expression is null, empty or not one line");
  if (program->compiled)
    return acl_error(ACL_ERROR_RTC_NO_NAME_EXPR_AFTER_COMPILATION, function, "the program is compiled already");
  for (const auto &known : program->name_expressions)
    if (known.first == expression)
      return ACL_SUCCESS;
  program->name_expressions.emplace_back(expression, "");
  return ACL_SUCCESS;
}

aclError aclrtcGetLoweredName(aclrtcProg prog, const char *expression, const char **lowered) {
  constexpr const char *function = "aclrtcGetLoweredName";
  const Program *program = find(prog);
  if (!program)
    return no_program(function);
  if (!expression || !lowered)
    return acl_error(ACL_ERROR_RTC_INVALID_INPUT, function, "nameExpression or loweredName is null");
  if (!program->compiled)
    return acl_error(ACL_ERROR_RTC_NO_LOWERED_NAMES_BEFORE_COMPILATION, function, "the program is not compiled");
  for (const auto &known : program->name_expressions)
    if (known.first == expression) {
      *lowered = known.second.c_str();
      return ACL_SUCCESS;
    }
  return acl_error(ACL_ERROR_RTC_NAME_EXPR_NOT_VALID, function,
                   std::string("'") + expression + "' was not given to aclrtcAddNameExpr");
}

aclError aclrtcGetCompileLogSize(aclrtcProg prog, size_t *size) {
  const Program *program = find(prog);
  if (!program)
    return no_program("aclrtcGetCompileLogSize");
  if (!size)
    return acl_error(ACL_ERROR_RTC_INVALID_INPUT, "aclrtcGetCompileLogSize", "logSizeRet is null");
  *size = program->log.size() + 1;
  return ACL_SUCCESS;
}

aclError aclrtcGetCompileLog(aclrtcProg prog, char *log) {
  const Program *program = find(prog);
  if (!program)
    return no_program("aclrtcGetCompileLog");
  if (!log)
    return acl_error(ACL_ERROR_RTC_INVALID_INPUT, "aclrtcGetCompileLog", "log is null");
  memcpy(log, program->log.c_str(), program->log.size() + 1);
  return ACL_SUCCESS;
}
