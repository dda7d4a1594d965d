package io.pigeonhole.core.inbox;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** What this process is called where nobody named it. */
public final class NodeName {
    private NodeName() {}

    /**
     * A name for people, in attempts and leases.
     *
     * @return the number of the process, and its host where that is known
     */
    public static String ofThisProcess() {
        String process = "pid " + ProcessHandle.current().pid();
        try {
            return process + " on " + InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return process;
        }
    }
}
