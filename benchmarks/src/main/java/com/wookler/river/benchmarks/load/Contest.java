package com.wookler.river.benchmarks.load;

import com.wookler.river.benchmarks.report.Ratio;
import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.benchmarks.system.QueueSystem;
import com.wookler.river.benchmarks.utils.Spread;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One line's rounds: A B A B and so on, one worker at a time, so that a machine that drifts drifts
 * under all of them alike; and what comes out of it, against the base pair by pair.
 */
final class Contest implements AutoCloseable {
  private static final int MOST_WARM_UPS = 20;

  private final Line line;
  private final Plan plan;
  private final Consumer<String> progress;
  private final List<Contender> contenders = new ArrayList<>();

  /** One system with its worker and what it reached so far. */
  private static final class Contender {
    private final QueueSystem system;
    private final Worker worker;
    private final List<Outcome> outcomes = new ArrayList<>();

    Contender(QueueSystem system, Worker worker) {
      this.system = system;
      this.worker = worker;
    }

    List<Double> figures() {
      return outcomes.stream().map(Outcome::figure).toList();
    }
  }

  /** Systems that cannot do this work are left out. */
  Contest(
      Line line,
      Plan plan,
      List<QueueSystem> systems,
      Supplier<Worker> workers,
      Consumer<String> progress) {
    this.line = line;
    this.plan = plan;
    this.progress = progress;
    for (QueueSystem system : systems) {
      if (system.supports(line.workOf(system))) {
        contenders.add(new Contender(system, workers.get()));
      }
    }
  }

  /** Warms up, does all rounds, and yields a row a system. */
  List<Row> rows() throws IOException {
    warmUp();
    for (int round = 1; round <= plan.rounds(); round++) {
      for (Contender contender : contenders) {
        Outcome outcome = contender.worker.run(plan.request(line, contender.system.name()));
        contender.outcomes.add(outcome);
        progress.accept(
            String.format(
                Locale.ROOT,
                "%s, round %d: %s %,.1f %s",
                line.name(),
                round,
                contender.system.name(),
                outcome.figure(),
                line.task().unit()));
      }
    }
    return contenders.stream().map(this::row).toList();
  }

  /** The first of them also proves that what was published is there. */
  private void warmUp() throws IOException {
    long[] worked = new long[contenders.size()];
    for (int i = 0; i < MOST_WARM_UPS; i++) {
      for (int each = 0; each < worked.length; each++) {
        if (i == 0 || worked[each] < plan.warmUp().toNanos()) {
          Contender contender = contenders.get(each);
          Request request = plan.warmUp(line, contender.system.name(), i == 0);
          worked[each] += contender.worker.run(request).nanos();
        }
      }
    }
  }

  private Row row(Contender contender) {
    Spread spread = Spread.of(contender.figures());
    return new Row(
        line.table(),
        line.text(),
        contender.system.name(),
        line.task().unit(),
        spread.median(),
        spread.min(),
        spread.max(),
        ratio(contender),
        Figures.merge(contender.outcomes.stream().map(Outcome::extra).toList()),
        note(contender.system));
  }

  private @Nullable Ratio ratio(Contender contender) {
    Contender base = base();
    if (base == null || base == contender) {
      return null;
    }
    Spread spread = Spread.ofRatios(contender.figures(), base.figures());
    return new Ratio(Line.BASE, spread.median(), spread.min(), spread.max());
  }

  private @Nullable Contender base() {
    return contenders.stream()
        .filter(contender -> contender.system.name().equals(Line.BASE))
        .findFirst()
        .orElse(null);
  }

  private String note(QueueSystem system) {
    boolean other = system.name().equals(Line.BASE) && !line.baseNote().isEmpty();
    return other ? "here " + line.baseNote() + "; " + system.notes() : system.notes();
  }

  @Override
  public void close() throws IOException {
    for (Contender contender : contenders) {
      contender.worker.close();
    }
  }
}
