package com.wookler.river.spring;

import com.wookler.river.reactor.Reactor;

/**
 * Changes the reactor of a listener before it starts: what runs around its calls, an executor, a
 * policy for failures. All beans of this type are called, in their order, for each listener; what
 * they put around its calls is around the {@link com.wookler.river.reactor.ProcessorInterceptor}
 * beans as well.
 */
@FunctionalInterface
public interface RiverListenerCustomizer {
  /** Changes a builder that has the settings of the annotation. */
  void customize(String queue, String subscriber, Reactor.Builder<Object> builder);
}
