#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

// Replaces operator new, so that a test may count allocations of all threads. Include it in one source file of a program.
namespace lastro::test {

inline std::atomic<bool> allocations_count = false;
inline std::atomic<std::int64_t> allocations = 0;

inline void start_counting_allocations() {
  allocations = 0;
  allocations_count = true;
}
// Ends the count.
inline std::int64_t allocations_counted() {
  allocations_count = false;
  return allocations;
}

inline void* counted_new(std::size_t bytes, const std::nothrow_t&) {
  if (allocations_count) ++allocations;
  return std::malloc(bytes == 0 ? 1 : bytes);
}
inline void* counted_new(std::size_t bytes) {
  if (void* memory = counted_new(bytes, std::nothrow)) return memory;
  throw std::bad_alloc();
}

}   // namespace lastro::test

void* operator new(std::size_t bytes) { return lastro::test::counted_new(bytes); }
void* operator new[](std::size_t bytes) { return lastro::test::counted_new(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t& none) noexcept { return lastro::test::counted_new(bytes, none); }
void* operator new[](std::size_t bytes, const std::nothrow_t& none) noexcept { return lastro::test::counted_new(bytes, none); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
