package com.wookler.river.crash;

import com.wookler.river.crash.Journal.Entry;
import com.wookler.river.crash.Journal.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Compares, after each end, what is there and what subscribers were given with the journals. */
final class Check {
  private final Site site;
  private final Scenario scenario;
  private final PublishCheck published = new PublishCheck();
  private final List<AckCheck> acked = new ArrayList<>();
  private final List<PlainCheck> plain = new ArrayList<>();
  private Contents contents;

  Check(Site site, Scenario scenario) {
    this.site = site;
    this.scenario = scenario;
    this.contents = new Contents(site, scenario.largest());
    for (int i = 0; i < scenario.subscribers(); i++) {
      if (Scenario.acknowledges(i)) {
        acked.add(new AckCheck(Scenario.name(i)));
      } else {
        plain.add(new PlainCheck(Scenario.name(i)));
      }
    }
  }

  /** What is in log and backup. */
  Contents contents() {
    return contents;
  }

  /** After a round; where the power was lost, after the recovery too. */
  void round(int round, End end) throws IOException {
    long before = contents.end();
    if (end.power()) {
      readAgain();
      before = Math.min(before, contents.end());
    } else {
      contents.update();
    }
    List<List<Entry>> journals = new ArrayList<>();
    for (int i = 0; i < scenario.publishers(); i++) {
      journals.add(Journal.read(site.published(round, i)));
    }
    published.round(round, journals, contents, before, end);
    subscribers(round, end);
  }

  /** What subscribers were given in a round. */
  void subscribers(int round, End end) throws IOException {
    for (int i = 0; i < scenario.subscribers(); i++) {
      List<Entry> entries = Journal.read(site.subscribed(round, i));
      if (end.power()) {
        // read from a disk without power
        entries.removeIf(entry -> entry.kind() == Kind.PASSED && entry.nanos() > end.at());
      }
      if (Scenario.acknowledges(i)) {
        acked.get(i / 2).round(entries, contents, end);
      } else {
        plain.get(i / 2).round(entries, contents, end);
      }
    }
  }

  /** All that was there, archived long ago too, is still what it was. */
  private void readAgain() throws IOException {
    Contents before = contents;
    contents = new Contents(site, scenario.largest());
    contents.update();
    for (long sequence = 0; sequence < before.end(); sequence++) {
      long id = before.id(sequence);
      BrokenPromise.unless(
          id == 0 || contents.id(sequence) == id,
          "sequence %d was there when the round began: %s; now it is %s",
          sequence,
          Content.text(id),
          Content.text(contents.id(sequence)));
    }
  }

  /** After a last opening that delivered all that was left. */
  void delivered() {
    acked.forEach(each -> each.expectAllDelivered(contents));
    plain.forEach(each -> each.expectAllDelivered(contents));
  }

  /** What came out of it. */
  Summary summary() {
    Summary sum = published.summary();
    for (AckCheck each : acked) {
      sum = sum.plus(each.summary());
    }
    for (PlainCheck each : plain) {
      sum = sum.plus(each.summary());
    }
    return sum;
  }
}
