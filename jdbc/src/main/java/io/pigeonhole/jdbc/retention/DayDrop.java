package io.pigeonhole.jdbc.retention;

/** What became of a day that was to be dropped. */
public enum DayDrop {
    DONE,
    /** Not now, but other days may go. */
    LATER,
    /** Neither this day nor another one of its table goes now, because somebody uses or changes the table. */
    NONE_NOW
}
