package com.wookler.river.reactor;

import com.wookler.river.common.config.ConfigNode;

/**
 * Processors within others: made of the {@code <processor>} in theirs, started and closed with
 * them.
 */
public final class Within {
  private static final String IGNORE = "ignore.exception";

  private Within() {}

  /**
   * Makes the processor that an element names, and configures it with the element.
   *
   * @throws com.wookler.river.common.errors.ConfigurationException its class is neither a {@link
   *     Processor} nor a {@link BatchProcessor}, or cannot be made
   */
  @SuppressWarnings("unchecked") // the XML names the class; what it processes is up to the user
  public static <M> BatchProcessor<M> read(ConfigNode node) {
    Object made = node.instantiate(Object.class);
    if (made instanceof BatchProcessor<?> batches) {
      return (BatchProcessor<M>) batches;
    }
    if (made instanceof Processor<?> single) {
      return new OneByOne<>((Processor<M>) single, node.bool(IGNORE, true));
    }
    throw node.error(
        "names the class "
            + made.getClass().getName()
            + ", which is neither a "
            + Processor.class.getName()
            + " nor a "
            + BatchProcessor.class.getName());
  }

  /**
   * The same for the one {@code <processor>} in an element.
   *
   * @throws com.wookler.river.common.errors.ConfigurationException there is none, or several
   */
  public static <M> BatchProcessor<M> readOnly(ConfigNode around) {
    return read(only(around));
  }

  static ConfigNode only(ConfigNode node) {
    var processors = node.children("processor");
    if (processors.size() != 1) {
      throw node.error("has " + processors.size() + " processors; it must have one");
    }
    return processors.get(0);
  }

  /** Tells a processor that is within another one of the reactor, if it wants to know. */
  @SuppressWarnings("unchecked") // a processor of these messages
  public static <M> void start(BatchProcessor<M> within, ReactorContext<M> reactor) {
    if (within instanceof ReactorAware<?> aware) {
      ((ReactorAware<M>) aware).startIn(reactor);
    }
  }

  /**
   * Closes a processor that is within another one, if it can be closed; what it throws is logged.
   */
  public static void close(BatchProcessor<?> within) {
    Closing.close(within);
  }
}
