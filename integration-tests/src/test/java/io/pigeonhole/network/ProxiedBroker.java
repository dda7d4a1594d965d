package io.pigeonhole.network;

import io.pigeonhole.testkit.contract.BrokerFixture;

/** A broker that sources come to through a proxy, so that their connections can be cut and frozen. */
public abstract class ProxiedBroker implements BrokerFixture {
    /** For sources only; producers and those who count come to the broker itself. */
    protected final UnreliableProxy proxy;

    protected ProxiedBroker(int port) {
        this.proxy = UnreliableProxy.before(port);
    }

    /** Lets nobody connect through the proxy. */
    public void leave() {
        proxy.refuse();
    }

    /** Lets everything through the proxy again, and nothing of what was written while it was frozen. */
    public void comeBack() {
        proxy.cut();
        proxy.thaw();
        proxy.admit();
    }

    @Override
    public void cut() {
        proxy.cut();
    }

    @Override
    public void freeze() {
        proxy.freeze();
    }

    @Override
    public void thaw() {
        proxy.thaw();
    }
}
