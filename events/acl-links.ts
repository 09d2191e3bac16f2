// What tokens and roles hold: links to policies and roles, and identities (spec: acl.md §6, §7).

/** A link as shown to readers. The ID is what is stored; the name is the target's name at the time of writing. */
export interface Link {
  readonly ID: string
  readonly Name: string
}

/** Valid in every datacenter when `Datacenters` is absent or empty. */
export interface ServiceIdentity {
  readonly ServiceName: string
  readonly Datacenters?: readonly string[]
}

/** Valid only in its datacenter. */
export interface NodeIdentity {
  readonly NodeName: string
  readonly Datacenter: string
}
