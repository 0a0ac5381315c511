// A folder's tokenizer.json: it is refused, or gives a vocabulary that is written back as a file that reads equal.
#include "text/tokenizer_files.h"

#include "fuzz_target.h"
#include "trained.h"

namespace lastro {

void must_hold_for(std::string_view bytes) {
  fuzz_file("tokenizer.json", bytes);
  reads_or_refuses([] {
    const BpeVocabulary vocabulary = read_tokenizer_file(fuzz_folder());
    write_tokenizer_files(vocabulary, fuzz_folder());
    require(read_tokenizer_file(fuzz_folder()) == vocabulary);
  });
}

std::vector<std::string> good_inputs() {
  write_tokenizer_files(trained_vocabulary(300), fuzz_folder());
  return {bytes_of(fuzz_folder() / "tokenizer.json")};
}

}   // namespace lastro
