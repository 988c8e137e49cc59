/**
 * Keeps a subscriber's ledger on disk: a cursor, snapshots, and a log of the changes since the last
 * snapshot. {@code Ledgers} opens a ledger from its files, {@code LedgerLook} reads them without
 * opening it. Imports {@code ack}, {@code common.file} and {@code common.errors}.
 */
@NullMarked
package com.wookler.river.ack.journal;

import org.jspecify.annotations.NullMarked;
