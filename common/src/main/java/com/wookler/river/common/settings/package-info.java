/**
 * The mechanism of the tables of options: a row says all that there is to say of one option, and
 * the checks, XML, the stored form, the JSON of REST, the schema and the documentation come from
 * the rows. The rows of queues are in {@code QueueOptions}, those of subscribers in {@code
 * SubscriberOptions}.
 *
 * <p>Allowed imports: {@code common.config}, {@code common.errors}.
 */
@NullMarked
package com.wookler.river.common.settings;

import org.jspecify.annotations.NullMarked;
