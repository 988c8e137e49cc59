package com.wookler.river.rest.server.hosting;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.RiverException;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Authenticates callers by the API keys in a file, and reloads the file when it changes.
 * Thread-safe.
 */
public final class KeyAuthenticator implements Authenticator {
  private static final Logger LOG = LoggerFactory.getLogger(KeyAuthenticator.class);
  private static final Pattern KEY = Pattern.compile("river_([0-9a-f]{12})_([A-Za-z0-9_-]{43})");

  private final KeyFile file;
  private final TimeSource time;
  private final FileWatcher watcher;
  private boolean unread; // the file as it is; used by the thread that refreshes

  /** Volatile: replaced as a whole when the file is read. */
  private volatile Map<String, Caller> byId = Map.of();

  /** Ids of the keys that have expired; confined to the thread that refreshes. */
  private Set<String> expired = Set.of();

  /** The rights of a key, as the file has them at the time of the call. */
  private final class Caller implements Access {
    private final KeyFile.Key key;
    private final KeyThrottle throttle;
    private final @Nullable Instant expiry;

    Caller(KeyFile.Key key, @Nullable Caller before) {
      this.key = key;
      this.throttle = new KeyThrottle(key.limits(), time, before == null ? null : before.throttle);
      this.expiry = key.limits().expiry();
    }

    @Override
    public boolean allows(Right right, String queue) {
      Caller now = now();
      return now != null && !now.hasExpired() && allows(now.key, right, queue);
    }

    @Override
    public @Nullable RequestException denial(Right right, String queue) {
      Caller now = now();
      if (now == null) {
        return unknown();
      }
      if (now.hasExpired()) {
        return now.expired();
      }
      return allows(now.key, right, queue)
          ? null
          : RequestException.of(
              RequestException.Reason.FORBIDDEN,
              "the key does not have the right to " + right.verb() + " on queue " + queue);
    }

    /** Returns the current key; null if it was revoked, or replaced by another with the same id. */
    private @Nullable Caller now() {
      Caller now = byId.get(key.id());
      return now != null && now.key.hash().equals(key.hash()) ? now : null;
    }

    boolean hasExpired() {
      return expiry != null && !time.wallTime().isBefore(expiry);
    }

    RequestException expired() {
      return RequestException.of(
          RequestException.Reason.UNAUTHORIZED,
          "the key " + key.name() + " has expired at " + expiry + "; ask for a new one");
    }

    @Override
    public void countRequest() {
      throttle().countRequest(key.name());
    }

    @Override
    public void countAcknowledgement() {
      throttle().countAcknowledgement();
    }

    @Override
    public void countMessages(int count) {
      throttle().countMessages(key.name(), count);
    }

    private KeyThrottle throttle() {
      Caller now = now();
      return now == null ? throttle : now.throttle;
    }

    private static boolean allows(KeyFile.Key key, Right right, String queue) {
      return switch (right) {
        case NONE -> true;
        case PUBLISH -> isIn(key.publish(), queue) || isIn(key.admin(), queue);
        case CONSUME -> isIn(key.consume(), queue) || isIn(key.admin(), queue);
        case METRICS -> isIn(key.metrics(), queue) || allows(key, Right.CONSUME, queue);
        case ADMIN -> isIn(key.admin(), queue);
      };
    }

    @Override
    public List<String> queues(Right right) {
      Caller now = now();
      return now == null || now.hasExpired() ? List.of() : queues(now.key, right);
    }

    private static List<String> queues(KeyFile.Key key, Right right) {
      return switch (right) {
        case NONE -> List.of("*");
        case PUBLISH -> together(key.publish(), key.admin());
        case CONSUME -> together(key.consume(), key.admin());
        case METRICS -> together(key.metrics(), together(key.consume(), key.admin()));
        case ADMIN -> key.admin();
      };
    }

    private static List<String> together(List<String> some, List<String> others) {
      return Stream.concat(some.stream(), others.stream()).distinct().toList();
    }

    private static boolean isIn(List<String> patterns, String queue) {
      for (String pattern : patterns) {
        if (pattern.endsWith("*")
            ? queue.startsWith(pattern.substring(0, pattern.length() - 1))
            : queue.equals(pattern)) {
          return true;
        }
      }
      return false;
    }

    @Override
    public KeyLimits limits() {
      Caller now = now();
      return now == null ? key.limits() : now.key.limits();
    }

    @Override
    public String id() {
      return key.id();
    }

    @Override
    public String name() {
      return key.name();
    }
  }

  /**
   * Creates an authenticator and reads the file.
   *
   * @throws RiverException the file cannot be read
   */
  public KeyAuthenticator(KeyFile file, TimeSource time) {
    this.file = file;
    this.time = time;
    this.watcher = new FileWatcher(List.of(file.path()));
    this.byId = read();
  }

  private Map<String, Caller> read() {
    Map<String, Caller> all = new HashMap<>();
    file.keys().forEach(key -> all.put(key.id(), new Caller(key, byId.get(key.id()))));
    return all;
  }

  /**
   * Reads the file if it has changed, and returns whether keys have changed or expired. If the file
   * cannot be read, the keys stay unchanged. Called by one thread at a time.
   */
  public boolean refresh() {
    boolean another = watcher.hasChanged();
    boolean changed = (another || unread) && reload(another);
    return noteExpired() || changed;
  }

  /** Logs the keys that have expired since the last call, and returns whether there is one. */
  private boolean noteExpired() {
    Set<String> before = expired;
    Set<String> now = new HashSet<>();
    boolean any = false;
    for (Caller caller : byId.values()) {
      if (caller.hasExpired()) {
        now.add(caller.key.id());
        if (!before.contains(caller.key.id())) {
          LOG.info("API key {} has expired at {}", caller.key.name(), caller.expiry);
          any = true;
        }
      }
    }
    expired = now;
    return any;
  }

  /** Reads the file; a failure is logged once for each change of it, and it is tried again. */
  private boolean reload(boolean logs) {
    try {
      byId = read();
      unread = false;
      LOG.info("Read {} API keys", byId.size());
      return true;
    } catch (RiverException e) {
      unread = true;
      if (logs) {
        LOG.error("Cannot read the API keys; the previous ones stay in use until that succeeds", e);
      }
      return false;
    }
  }

  private static RequestException unknown() {
    return RequestException.of(RequestException.Reason.UNAUTHORIZED, "the key is unknown");
  }

  @Override
  public List<Access> all() {
    return byId.values().stream()
        .<Access>map(caller -> caller)
        .sorted(Comparator.comparing(Access::name).thenComparing(Access::id))
        .toList();
  }

  @Override
  public boolean requiresKey() {
    return true;
  }

  @Override
  public Access authenticate(@Nullable String key) {
    Matcher matcher = KEY.matcher(key == null ? "" : key);
    Caller caller = matcher.matches() ? byId.get(matcher.group(1)) : null;
    if (caller == null || !caller.key.isSecret(matcher.group(2))) {
      throw unknown();
    }
    if (caller.hasExpired()) {
      throw caller.expired();
    }
    return caller;
  }
}
