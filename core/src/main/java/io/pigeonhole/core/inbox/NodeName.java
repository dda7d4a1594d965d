package io.pigeonhole.core.inbox;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** What this process is called where nobody named it. */
final class NodeName {
    private NodeName() {}

    static String ofThisProcess() {
        String process = "pid " + ProcessHandle.current().pid();
        try {
            return process + " on " + InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return process;
        }
    }
}
