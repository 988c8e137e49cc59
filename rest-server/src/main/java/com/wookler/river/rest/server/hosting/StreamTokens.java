package com.wookler.river.rest.server.hosting;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.TimeSource;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Issues tokens for callers that cannot send a header, such as a browser's {@code EventSource}. A
 * token opens one stream of one subscriber, once, within a minute, with the rights that the key of
 * its issue has by then. Tokens are in memory only: a restart ends them. Each key has its own
 * number of them, so that none takes those of another one. Thread-safe.
 */
public final class StreamTokens {
  /** The parameter of a query with a token. */
  public static final String PARAMETER = "token";

  /** How long a token can be used. */
  public static final Duration LIFETIME = Duration.ofMinutes(1);

  private static final int BYTES = 32;
  private static final int MAX_OF_A_KEY = 1_000;
  private static final int RETRY_SECONDS = 5;

  private final TimeSource time;
  private final SecureRandom random = new SecureRandom();

  @GuardedBy("this")
  private final Map<String, Grant> grants = new LinkedHashMap<>(); // the next to expire is first

  @GuardedBy("this")
  private final Map<String, Integer> unused = new HashMap<>(); // by the id of the key

  /** What a token is for. */
  private record Grant(Access access, String queue, String subscriber, long expires) {}

  public StreamTokens(TimeSource time) {
    this.time = time;
  }

  /**
   * Issues a token.
   *
   * @throws RequestException its key has too many that are not used
   */
  public synchronized String issue(Access access, String queue, String subscriber) {
    long now = time.nanoTime();
    removeExpired(now);
    if (unused.getOrDefault(access.id(), 0) >= MAX_OF_A_KEY) {
      throw RequestException.later(
          RequestException.Reason.TOO_MANY_REQUESTS,
          MAX_OF_A_KEY + " stream tokens of the key wait for their use, as many as there may be",
          RETRY_SECONDS);
    }
    byte[] bytes = new byte[BYTES];
    random.nextBytes(bytes);
    String token = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    grants.put(token, new Grant(access, queue, subscriber, now + LIFETIME.toNanos()));
    unused.merge(access.id(), 1, Integer::sum);
    return token;
  }

  /**
   * Uses up a token, and returns the access of the caller for which it was issued.
   *
   * @param tokens the values of the parameter, of which there has to be one
   * @throws RequestException it is missing, unknown, used, expired, or for another subscriber
   */
  public synchronized Access redeem(List<String> tokens, String queue, String subscriber) {
    Access access = check(tokens, queue, subscriber);
    Grant used = grants.remove(tokens.get(0));
    if (used != null) {
      countDown(used);
    }
    return access;
  }

  /** Returns the access that {@link #redeem} would, without using the token up. */
  public synchronized Access check(List<String> tokens, String queue, String subscriber) {
    removeExpired(time.nanoTime());
    Grant grant = tokens.size() == 1 ? grants.get(tokens.get(0)) : null;
    if (grant == null || !grant.queue().equals(queue) || !grant.subscriber().equals(subscriber)) {
      throw RequestException.of(
          RequestException.Reason.UNAUTHORIZED,
          tokens.isEmpty()
              ? "a stream token is required; POST to stream-tokens of the subscriber makes one"
              : "the stream token is unknown, was used, has expired, or is of another subscriber");
    }
    return grant.access();
  }

  @GuardedBy("this")
  private void removeExpired(long now) {
    Iterator<Grant> all = grants.values().iterator();
    while (all.hasNext()) {
      Grant oldest = all.next();
      if (oldest.expires() - now > 0) {
        return;
      }
      all.remove();
      countDown(oldest);
    }
  }

  @GuardedBy("this")
  private void countDown(Grant grant) {
    unused.computeIfPresent(grant.access().id(), (id, count) -> count == 1 ? null : count - 1);
  }
}
