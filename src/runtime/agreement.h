#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/collective.h"
#include "core/store.h"

namespace lastro {

// A file that a stage will read, with the digest it must have.
struct NamedFile {
  std::string path;
  Digest wanted;
  std::string remedy = {};   // what helps where it is damaged; empty: nothing we know
};

// What a rank says of itself before a stage starts.
struct Testimony {
  Digest plan;                                         // of the text of the plan as it arrived
  Digest binary;                                       // of the program that runs
  std::string nonce;                                   // read from the shared folder
  std::vector<std::pair<std::size_t, Digest>> files;   // this rank's slice of the input files, by index, re-hashed
};

// What a rank looks at to give its testimony. Tests replace a part to play a rank that differs.
struct Witness {
  std::function<std::vector<NamedFile>(std::string_view plan)> files_in;   // the input files that a plan names
  std::function<Digest(std::string_view plan)> hash_plan;
  std::function<Digest()> hash_binary;
  std::function<std::string()> read_nonce;
  std::function<Digest(const std::string& path)> hash_file;
};

// Makes all ranks sure that they mean the same stage: rank 0's plan reaches every rank, and each answers with the hash of what it received, of its
// binary, of its slice of the input files (file i is rank i mod N's) and with the nonce it read. Returns the plan, equal on all ranks.
// Throws ContractError on every rank, naming rank, file, hash wanted and found.
std::string agree_on(Collective& ranks, std::string_view plan_of_root, std::string_view nonce_of_root, const Witness& witness);

}   // namespace lastro
