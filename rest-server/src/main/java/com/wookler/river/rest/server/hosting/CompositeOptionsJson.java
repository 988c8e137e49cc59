package com.wookler.river.rest.server.hosting;

import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.core.subscriber.Position;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads and writes the values of options that are objects in the contract. */
public final class CompositeOptionsJson {
  private static final double FACTOR = 2;
  private static final double JITTER = 0.2;
  private static final int MAX_STEPS = 100;

  private CompositeOptionsJson() {}

  /** A backoff. Exactly one of the three components is not null. */
  record BackoffJson(
      @Nullable String fixed, @Nullable List<String> list, @Nullable Exponential exponential) {
    Backoff toBackoff() {
      if ((fixed != null ? 1 : 0) + (list != null ? 1 : 0) + (exponential != null ? 1 : 0) != 1) {
        throw RequestException.field(
            "backoff", "is not exactly one of fixed, list and exponential");
      }
      return RequestException.checked("backoff", this::parse);
    }

    private Backoff parse() {
      if (fixed != null) {
        return Backoff.fixed(ContractFormat.duration("backoff.fixed", fixed));
      }
      if (list != null) {
        if (list.isEmpty() || list.size() > MAX_STEPS) {
          throw RequestException.field("backoff.list", "must have 1 to " + MAX_STEPS + " delays");
        }
        List<Duration> delays = new ArrayList<>();
        for (String delay : list) {
          delays.add(ContractFormat.duration("backoff.list", Json.required("backoff.list", delay)));
        }
        return Backoff.list(delays);
      }
      return Objects.requireNonNull(exponential).toBackoff();
    }

    /** Returns the form in the contract; null for no backoff. */
    static @Nullable BackoffJson of(Backoff backoff) {
      if (backoff instanceof Backoff.Exponential grown) {
        return new BackoffJson(
            null,
            null,
            new Exponential(
                ContractFormat.of(grown.first()),
                ContractFormat.of(grown.longest()),
                grown.factor(),
                grown.jitter()));
      }
      List<Duration> delays = ((Backoff.Steps) backoff).delays();
      return switch (delays.size()) {
        case 0 -> null;
        case 1 -> new BackoffJson(ContractFormat.of(delays.get(0)), null, null);
        default -> new BackoffJson(null, delays.stream().map(ContractFormat::of).toList(), null);
      };
    }
  }

  /** An exponential backoff. */
  record Exponential(
      String first, String longest, @Nullable Double factor, @Nullable Double jitter) {
    Exponential {
      first = Json.required("first", first);
      longest = Json.required("longest", longest);
    }

    Backoff toBackoff() {
      return Backoff.exponential(
          ContractFormat.duration("backoff.exponential.first", first),
          ContractFormat.duration("backoff.exponential.longest", longest),
          factor == null ? FACTOR : factor,
          jitter == null ? JITTER : jitter);
    }
  }

  /** A position in a queue. Exactly one of the three components is not null. */
  public record PositionJson(@Nullable String to, @Nullable Long sequence, @Nullable String time) {
    public Position toPosition(String field) {
      if ((to != null ? 1 : 0) + (sequence != null ? 1 : 0) + (time != null ? 1 : 0) != 1) {
        throw RequestException.field(field, "is not exactly one of to, sequence and time");
      }
      if (sequence != null) {
        if (sequence < 0) {
          throw RequestException.field(field + ".sequence", "is negative");
        }
        return Position.sequence(sequence);
      }
      if (time != null) {
        try {
          return Position.time(Instant.parse(time));
        } catch (DateTimeException e) {
          throw RequestException.field(
              field + ".time", "is not a time such as 2026-11-20T10:00:00Z");
        }
      }
      return switch (String.valueOf(to)) {
        case "EARLIEST" -> Position.earliest();
        case "LATEST" -> Position.latest();
        default -> throw RequestException.field(field + ".to", "is neither EARLIEST nor LATEST");
      };
    }
  }
}
