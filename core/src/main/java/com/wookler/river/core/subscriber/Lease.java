package com.wookler.river.core.subscriber;

import java.time.Duration;

/**
 * Who an exclusive subscriber delivers to; see {@link SubscriberConfig#exclusive}.
 *
 * @param owner the name that it polls by; empty for polls without one
 * @param left how long it has the lease, unless it polls or acknowledges meanwhile
 */
public record Lease(String owner, Duration left) {}
