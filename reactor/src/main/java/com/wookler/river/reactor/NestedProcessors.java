package com.wookler.river.reactor;

import com.wookler.river.common.config.ConfigNode;
import java.util.function.UnaryOperator;

/**
 * Helps processors that contain another one: creates it from the {@code <processor>} element in
 * theirs, starts it and closes it.
 */
public final class NestedProcessors {
  private static final String IGNORE = "ignore.exception";
  private static final String MOST_IN_FLIGHT = "async.max.in.flight";

  private NestedProcessors() {}

  /**
   * Creates the processor that an element names, and configures it with the element.
   *
   * @throws com.wookler.river.common.errors.ConfigurationException its class is neither a {@link
   *     Processor} nor a {@link BatchProcessor} nor an {@link AsyncProcessor}, or cannot be created
   */
  @SuppressWarnings("unchecked") // the XML names the class; what it processes is up to the user
  public static <M> BatchProcessor<M> read(ConfigNode node) {
    Object made = node.instantiate(Object.class);
    if (made instanceof BatchProcessor<?> batches) {
      return (BatchProcessor<M>) batches;
    }
    if (made instanceof Processor<?> single) {
      return new ProcessorAdapter<>((Processor<M>) single, node.bool(IGNORE, true));
    }
    if (made instanceof AsyncProcessor<?> async) {
      int most = ReactorXml.positive(node, MOST_IN_FLIGHT, AsyncAdapter.MOST_BY_DEFAULT);
      return new AsyncAdapter<>((AsyncProcessor<M>) async, node.bool(IGNORE, true), most);
    }
    throw node.error(
        "names the class "
            + made.getClass().getName()
            + ", which is neither a "
            + Processor.class.getName()
            + ", "
            + BatchProcessor.class.getName()
            + " nor a "
            + AsyncProcessor.class.getName());
  }

  /**
   * Creates the processor of the single {@code <processor>} element in another one, as {@link
   * #read} does.
   *
   * @throws com.wookler.river.common.errors.ConfigurationException there is no such element, or
   *     there are several
   */
  public static <M> BatchProcessor<M> readSingle(ConfigNode parent) {
    return read(singleProcessor(parent));
  }

  static ConfigNode singleProcessor(ConfigNode node) {
    var processors = node.children("processor");
    if (processors.size() != 1) {
      throw node.error("has " + processors.size() + " processors; it must have one");
    }
    return processors.get(0);
  }

  /** Starts a nested processor in a reactor, if it is {@link ReactorAware}. */
  @SuppressWarnings("unchecked") // a processor of these messages
  public static <M> void start(BatchProcessor<M> nested, ReactorContext<M> reactor) {
    if (nested instanceof ReactorAware<?> aware) {
      ((ReactorAware<M>) aware).startIn(reactor);
    }
  }

  /**
   * Starts a nested processor, which may be asynchronous.
   *
   * @param results gets one result for each message of an asynchronous one: that of its stage, or a
   *     failure if the stage exceeds the time limit; returns the result that is applied. What a
   *     stage gives after the time limit is applied as it is
   * @return whether it is asynchronous
   */
  public static <M> boolean start(
      BatchProcessor<M> nested,
      ReactorContext<M> reactor,
      UnaryOperator<ProcessResult<M>> results) {
    if (nested instanceof AsyncAdapter<M> async) {
      async.startIn(reactor, results);
      return true;
    }
    start(nested, reactor);
    return false;
  }

  /** Closes a nested processor if it is {@link AutoCloseable}, and logs what it throws. */
  public static void close(BatchProcessor<?> nested) {
    Closeables.closeAndLog(nested);
  }
}
