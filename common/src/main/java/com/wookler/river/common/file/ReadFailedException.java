package com.wookler.river.common.file;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file is there, but the device refused to give its bytes, of which that says nothing: the system
 * does not say which file it was, nor where.
 */
public final class ReadFailedException extends IOException {
  private static final long serialVersionUID = 1L;

  /** What to do about it. */
  public static final String REMEDY =
      "Nothing of it was changed, and nothing is taken for lost. Repair the disk; or put a copy of the"
          + " file in its place that was made around what cannot be read, as ddrescue does: then what"
          + " the copy lacks is reported as lost, and no more";

  private ReadFailedException(String where, IOException cause) {
    super("cannot read " + where + ": " + cause.getMessage(), cause);
  }

  /** Returns the error, with the name of the file that was being read if it does not say it. */
  public static IOException of(Path file, IOException e) {
    return isNamed(e) ? e : new ReadFailedException(file.toString(), e);
  }

  private static boolean isNamed(IOException e) {
    return e instanceof ReadFailedException
        || e instanceof FileSystemException
        || e instanceof ClosedByInterruptException; // the disk has nothing to do with it
  }

  /** Returns all bytes of a small file. */
  public static byte[] all(Path file) throws IOException {
    try (InputStream in = open(file)) {
      return in.readAllBytes();
    }
  }

  /** Opens a file, to be read from its beginning; an error says how far that came. */
  public static InputStream open(Path file) throws IOException {
    return new Counted(file, Files.newInputStream(file));
  }

  private static final class Counted extends FilterInputStream {
    private final Path file;
    private long offset;

    Counted(Path file, InputStream in) {
      super(in);
      this.file = file;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      try {
        int read = in.read(bytes, from, length);
        offset += Math.max(0, read);
        return read;
      } catch (IOException e) {
        throw new ReadFailedException(file + " at byte " + offset, e);
      }
    }
  }
}
