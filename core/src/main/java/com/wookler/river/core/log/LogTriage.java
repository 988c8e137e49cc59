package com.wookler.river.core.log;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.DamagedMessageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of a log's directory, told apart before one of them is trusted: whose they are, and
 * whether each is the block or the seal that its name says.
 *
 * <p>{@link #list} touches nothing. {@link #tidy} removes what a crash left half made, puts blocks
 * back that stand under another's name, and moves out of the way what is not the log's.
 */
final class LogTriage {
  private static final Logger LOG = LoggerFactory.getLogger(LogTriage.class);

  private static final int PADDING = 3; // behind the last document, which a file may lack

  private final LogSettings settings;
  private final Device device;
  private final SortedMap<Integer, Path> blocks = new TreeMap<>();
  private final SortedMap<Integer, Path> misplaced = new TreeMap<>(); // by what they hold
  private final SortedMap<Integer, Seal> seals = new TreeMap<>();
  private final SortedMap<Integer, BlockStart> starts = new TreeMap<>(); // by what they say
  private final List<Path> leftovers = new ArrayList<>();
  private final Map<Path, String> strange = new TreeMap<>(); // with what is wrong

  private LogTriage(LogSettings settings, Device device) {
    this.settings = settings;
    this.device = device;
  }

  /**
   * Lists a directory.
   *
   * @throws RiverException it holds the log of another queue
   */
  static LogTriage list(LogSettings settings, Device device) throws IOException {
    LogTriage files = new LogTriage(settings, device);
    LogFiles found = LogFiles.list(settings.directory());
    files.leftovers.addAll(found.passing());
    files.takeFiles(found.blocks(), files.blocks);
    files.takeParked(found.others());
    files.takeSeals(found.seals());
    files.tellApart();
    return files;
  }

  /** Block files, by number. */
  SortedMap<Integer, Path> blocks() {
    return blocks;
  }

  /** Seals that are whole, by number. */
  SortedMap<Integer, Seal> seals() {
    return seals;
  }

  /** What the first document of a block says, if it can be read. */
  Optional<BlockStart> start(int block) {
    return Optional.ofNullable(starts.get(block));
  }

  /**
   * What is wrong with a block that has a seal, as far as a few small reads can tell; empty if it
   * seems to be what its seal says.
   */
  String unlikeSeal(Seal seal) throws IOException {
    Path file = BlockName.data(settings.directory(), seal.block());
    BlockStart start = starts.get(seal.block());
    if (start == null) {
      return "its start cannot be read";
    }
    if (start.firstSequence() != seal.firstSequence()) {
      return "it starts at sequence " + start.firstSequence() + ", its seal says otherwise";
    }
    ByteBuffer head = ChronicleHeader.head(file);
    if (!ChronicleHeader.isHead(head)) {
      return "its header is damaged";
    }
    long last = head.getLong(ChronicleHeader.WRITE_POSITION);
    if (last < 0 || last >= seal.bytes()) {
      return "its note of the last document points to " + last;
    }
    long size = Files.size(file);
    return size + PADDING < seal.bytes() ? "it has " + size + " bytes of " + seal.bytes() : "";
  }

  /** The highest number that a file has; 0 if there is none. */
  int newest() {
    return Math.max(last(blocks), Math.max(last(seals), last(misplaced)));
  }

  private static int last(SortedMap<Integer, ?> files) {
    return files.isEmpty() ? 0 : files.lastKey();
  }

  private void takeFiles(SortedMap<Integer, Path> named, SortedMap<Integer, Path> taken) {
    named.forEach(
        (number, file) -> {
          if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            taken.put(number, file);
          } else {
            strange.put(file, "is not a file");
          }
        });
  }

  private void takeParked(List<Path> others) {
    SortedMap<Integer, Path> parked = new TreeMap<>();
    for (Path file : others) {
      BlockName.misplacedNumber(file).ifPresent(number -> parked.put(number, file));
    }
    takeFiles(parked, misplaced);
  }

  private void takeSeals(SortedMap<Integer, Path> named) throws IOException {
    SortedMap<Integer, Path> files = new TreeMap<>();
    takeFiles(named, files);
    for (Map.Entry<Integer, Path> file : files.entrySet()) {
      readSeal(file.getKey(), file.getValue());
    }
  }

  private void readSeal(int number, Path file) throws IOException {
    try {
      seals.put(number, BlockFile.seal(file, number));
    } catch (DamagedMessageException e) {
      LOG.warn(
          "Queue {}: {}: {}; reading the block instead", settings.queue(), file, e.getMessage());
      leftovers.add(file);
    }
  }

  /** Finds out which files are another queue's, and which blocks stand under another's name. */
  private void tellApart() throws IOException {
    Map<Path, UUID> foreign = new TreeMap<>();
    boolean own = false;
    for (Map.Entry<Integer, Path> entry : List.copyOf(blocks.entrySet())) {
      Optional<BlockStart> start = BlockStart.read(entry.getValue());
      if (start.isPresent() && !isOwn(start.get().queue())) {
        foreign.put(entry.getValue(), start.get().queue());
      } else if (start.isPresent()) {
        own = true;
        starts.put(start.get().block(), start.get());
        checkPlace(entry.getKey(), entry.getValue(), start.get().block());
      }
    }
    for (int number : List.copyOf(misplaced.keySet())) {
      if (blocks.containsKey(number)) {
        strange.put(misplaced.remove(number), "is another copy of block " + number);
      }
    }
    for (Seal seal : seals.values()) {
      if (isOwn(seal.queue())) {
        own = true;
      } else {
        foreign.put(BlockName.seal(settings.directory(), seal.block()), seal.queue());
      }
    }
    if (!foreign.isEmpty() && !own) {
      throw refusal(foreign.entrySet().iterator().next());
    }
    for (Map.Entry<Path, UUID> file : foreign.entrySet()) {
      strange.put(file.getKey(), "belongs to the queue with the id " + file.getValue());
      blocks.values().remove(file.getKey());
      BlockName.sealNumber(file.getKey()).ifPresent(number -> seals.remove(number));
    }
  }

  private boolean isOwn(UUID owner) {
    return owner.equals(settings.identity());
  }

  private void checkPlace(int number, Path file, int holds) {
    if (holds == number) {
      return;
    }
    blocks.remove(number);
    if (misplaced.putIfAbsent(holds, file) != null) {
      strange.put(file, "is another copy of block " + holds);
    }
  }

  private RiverException refusal(Map.Entry<Path, UUID> foreign) {
    return new RiverException(
        "queue "
            + settings.queue()
            + " has the id "
            + settings.identity()
            + ", but "
            + foreign.getKey()
            + " belongs to a queue with the id "
            + foreign.getValue()
            + "; nothing was touched. Restore its queue.json, or move the foreign files away");
  }

  /** Leaves only what belongs here, under its own name. */
  void tidy() throws IOException {
    for (Path file : leftovers) {
      deleteLeftover(file);
      device.mended(file);
    }
    for (Map.Entry<Path, String> file : strange.entrySet()) {
      setAside(file.getKey(), file.getValue());
    }
    putBack();
  }

  private void deleteLeftover(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) { // such as a directory of that name
      LOG.warn("Queue {}: {} cannot be removed: {}", settings.queue(), file, e.toString());
    }
  }

  private void setAside(Path file, String why) throws IOException {
    LOG.warn(
        "Queue {}: damaged: {} {}; set aside as {}",
        settings.queue(),
        file,
        why,
        Mending.setAside(file));
    device.mended(file);
  }

  /** First all out of each other's place, by names that a recovery knows after a crash. */
  private void putBack() throws IOException {
    for (Map.Entry<Integer, Path> entry : misplaced.entrySet()) {
      Path parked = BlockName.misplaced(settings.directory(), entry.getKey());
      if (!entry.getValue().equals(parked)) {
        DurableFiles.rename(entry.getValue(), parked);
        device.mended(parked);
        LOG.warn(
            "Queue {}: damaged: {} holds block {}; it gets that name",
            settings.queue(),
            entry.getValue(),
            entry.getKey());
      }
    }
    for (int number : misplaced.keySet()) {
      Path parked = BlockName.misplaced(settings.directory(), number);
      Path own = BlockName.data(settings.directory(), number);
      DurableFiles.rename(parked, own);
      device.mended(own);
      blocks.put(number, own);
    }
  }
}
