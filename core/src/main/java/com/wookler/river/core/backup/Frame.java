package com.wookler.river.core.backup;

/**
 * One zstd frame of a backup and the part of the block that it holds, entire documents only.
 *
 * @param offset where it starts in the {@code .zst} file
 * @param length bytes it takes there
 * @param start where its content starts in the block
 * @param bytes length of its content
 * @param firstSequence of the first message at or after {@code start}; {@link #UNKNOWN} until the
 *     messages have been read
 * @param microsBefore publish time of the last message before it, 0 in the first frame
 * @param checksum CRC32C of its {@code length} bytes
 */
record Frame(
    long offset,
    long length,
    long start,
    long bytes,
    long firstSequence,
    long microsBefore,
    int checksum) {

  static final long UNKNOWN = -1;

  Frame located(long sequence, long micros) {
    return new Frame(offset, length, start, bytes, sequence, micros, checksum);
  }
}
