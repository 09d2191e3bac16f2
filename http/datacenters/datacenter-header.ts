// How a server knows that a request comes from another datacenter, which it does not send on to a third one.

/** The name of the datacenter that sends the request. */
export const DATACENTER_HEADER = 'X-Annals-Datacenter'
