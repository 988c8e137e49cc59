package com.wookler.river.rest.server.hosting;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads and changes the file of API keys, JSON that only its owner may read: {@code {"format":
 * "river-keys", "version": 1, "keys": [key, …]}}. It contains salted hashes instead of keys.
 *
 * <p>A key is {@code river_ID_SECRET}: 12 hexadecimal digits, and 256 random bits in Base64. A
 * random secret of this length cannot be guessed from its hash, however fast the hash is, so
 * SHA-256 suffices, which costs a request a microsecond.
 */
public final class KeyFile {
  private static final String FORMAT = "river-keys";
  private static final int VERSION = 1;
  private static final int ID_BYTES = 6;
  private static final int SECRET_BYTES = 32;
  private static final int SALT_BYTES = 16;
  private static final Pattern PATTERN =
      Pattern.compile("\\*|[A-Za-z0-9_][A-Za-z0-9._-]{0,63}\\*?");

  /** Held while this JVM changes a file of keys: a file lock excludes only other processes. */
  private static final ReentrantLock CHANGING = new ReentrantLock();

  private final Path path;

  /** The content of the file. */
  record Content(String format, int version, List<Key> keys) {
    Content {
      format = Json.required("format", format);
      keys = List.copyOf(Json.required("keys", keys));
    }
  }

  /**
   * A key, represented by its hash.
   *
   * @param id the middle part of the key
   * @param name what the key is for
   * @param salt salt in Base64
   * @param hash SHA-256 of salt and secret, in Base64
   * @param publish the queues to which it may publish: names, prefixes such as {@code eu-*}, or
   *     {@code *}
   * @param consume the queues from which it may consume
   * @param admin the queues that it may administer, which includes all other rights
   * @param metrics the queues whose metrics it may read
   * @param limits when it expires, and how much it may do
   */
  public record Key(
      String id,
      String name,
      String salt,
      String hash,
      List<String> publish,
      List<String> consume,
      List<String> admin,
      List<String> metrics,
      KeyLimits limits) {
    public Key {
      id = Json.required("id", id);
      name = Json.required("name", name);
      salt = Json.required("salt", salt);
      hash = Json.required("hash", hash);
      publish = patterns("publish", publish);
      consume = patterns("consume", consume);
      admin = patterns("admin", admin);
      metrics = patterns("metrics", metrics);
      limits = limits == null ? KeyLimits.NONE : limits;
    }

    private static List<String> patterns(String field, @Nullable List<String> patterns) {
      List<String> all = patterns == null ? List.of() : List.copyOf(patterns);
      for (String pattern : all) {
        if (!PATTERN.matcher(pattern).matches()) {
          throw RequestException.field(
              field, "'" + pattern + "' is not a queue's name, a prefix with *, or *");
        }
      }
      return all;
    }

    /** Returns whether this is the secret, in constant time. */
    boolean isSecret(String secret) {
      byte[] known = Base64.getDecoder().decode(hash);
      return MessageDigest.isEqual(known, KeyFile.hash(Base64.getDecoder().decode(salt), secret));
    }
  }

  /**
   * A new key, and its text, which is shown once.
   *
   * @param text the key itself
   */
  public record Added(Key key, String text) {}

  public KeyFile(Path path) {
    this.path = path;
  }

  public Path path() {
    return path;
  }

  /**
   * Returns all keys.
   *
   * @throws RiverException the file does not exist or is not valid
   */
  public List<Key> keys() {
    try {
      Content content = Json.read(Files.readAllBytes(path), Content.class);
      if (!content.format().equals(FORMAT) || content.version() != VERSION) {
        throw new RiverException(path + " is not a file of keys of version " + VERSION);
      }
      return content.keys();
    } catch (NoSuchFileException e) {
      throw new RiverException(
          "there is no file of keys " + path + "; create it with river keys add", e);
    } catch (RequestException e) {
      throw new RiverException(path + ": " + e.field() + " " + e.detail(), e);
    } catch (IOException e) {
      throw new RiverException("cannot read the keys in " + path, e);
    }
  }

  /**
   * Creates a key with these rights and no limits, and the file if it does not exist.
   *
   * @throws ConfigurationException the file has a key of this name
   */
  public Added add(
      String name,
      List<String> publish,
      List<String> consume,
      List<String> admin,
      List<String> metrics) {
    return add(name, publish, consume, admin, metrics, KeyLimits.NONE);
  }

  /**
   * Creates a key with these rights and limits, and the file if it does not exist.
   *
   * @throws ConfigurationException the file has a key of this name
   */
  public Added add(
      String name,
      List<String> publish,
      List<String> consume,
      List<String> admin,
      List<String> metrics,
      KeyLimits limits) {
    SecureRandom random = new SecureRandom();
    String id = HexFormat.of().formatHex(bytes(random, ID_BYTES));
    String secret =
        Base64.getUrlEncoder().withoutPadding().encodeToString(bytes(random, SECRET_BYTES));
    byte[] salt = bytes(random, SALT_BYTES);
    Key key =
        new Key(
            id,
            name,
            Base64.getEncoder().encodeToString(salt),
            Base64.getEncoder().encodeToString(hash(salt, secret)),
            publish,
            consume,
            admin,
            metrics,
            limits);
    change(
        keys -> {
          ensureNew(name, keys);
          List<Key> more = new ArrayList<>(keys);
          more.add(key);
          return more;
        });
    return new Added(key, "river_" + id + "_" + secret);
  }

  /** Refuses a name that would let {@link #revoke} remove another key too. */
  private void ensureNew(String name, List<Key> keys) {
    for (Key key : keys) {
      if (key.name().equals(name) || key.id().equals(name)) {
        throw new ConfigurationException(
            "%s has a key with the name or id '%s' already; choose another name, or revoke that key"
                .formatted(path, name));
      }
    }
  }

  /** Removes the keys with this id or name, and returns their number. */
  public int revoke(String idOrName) {
    int[] removed = new int[1];
    change(
        keys -> {
          List<Key> left =
              keys.stream()
                  .filter(key -> !key.id().equals(idOrName) && !key.name().equals(idOrName))
                  .toList();
          removed[0] = keys.size() - left.size();
          return left;
        });
    return removed[0];
  }

  private static byte[] bytes(SecureRandom random, int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return bytes;
  }

  private static byte[] hash(byte[] salt, String secret) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(salt);
      return digest.digest(secret.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JVM supports it
    }
  }

  /**
   * Replaces the file's keys, but neither its owner nor its permissions. Threads and processes that
   * change it at the same time wait for each other, and a reader sees the file as it was before or
   * after the change.
   */
  private void change(UnaryOperator<List<Key>> change) {
    CHANGING.lock();
    try {
      changeLocked(change);
    } finally {
      CHANGING.unlock();
    }
  }

  @GuardedBy("CHANGING")
  private void changeLocked(UnaryOperator<List<Key>> change) {
    Path whole = path.toAbsolutePath();
    Path lock = whole.resolveSibling(whole.getFileName() + ".lock");
    Path half = whole.resolveSibling(whole.getFileName() + ".tmp");
    try {
      Files.createDirectories(whole.getParent());
      boolean isFirst = !Files.exists(lock);
      try (FileChannel locked = privately(lock)) {
        if (isFirst) {
          protectAs(whole, lock); // else its owner could not change it any more
        }
        FileLock held = locked.lock(); // until the channel is closed
        List<Key> keys = Files.exists(whole) ? keys() : List.of();
        Files.deleteIfExists(half);
        try (FileChannel out = privately(half)) {
          ByteBuffer bytes =
              ByteBuffer.wrap(Json.write(new Content(FORMAT, VERSION, change.apply(keys))));
          while (bytes.hasRemaining()) {
            out.write(bytes);
          }
          protectAs(whole, half);
          out.force(true);
          Files.move(half, whole, StandardCopyOption.ATOMIC_MOVE);
        } finally {
          Files.deleteIfExists(half); // where it could not be written, or get its owner
        }
        held.release();
      }
    } catch (IOException e) {
      throw new RiverException("cannot write the keys to " + path + ": " + e, e);
    }
  }

  /**
   * Gives a file the owner, group and permissions of the one that it is to replace, because a
   * server of another user would not see the change of a file that it cannot read.
   */
  private static void protectAs(Path before, Path file) throws IOException {
    PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
    if (view == null || !Files.exists(before)) {
      return;
    }
    PosixFileAttributes wanted = Files.readAttributes(before, PosixFileAttributes.class);
    PosixFileAttributes made = view.readAttributes();
    if (!wanted.owner().equals(made.owner())) {
      view.setOwner(wanted.owner());
    }
    if (!wanted.group().equals(made.group())) {
      view.setGroup(wanted.group());
    }
    view.setPermissions(wanted.permissions());
  }

  private static FileChannel privately(Path file) throws IOException {
    if (!Files.exists(file)
        && file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      Files.createFile(
          file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }
    return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }
}
