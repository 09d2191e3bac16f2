// One namespace and its answers, serialised once per change.
import type { Namespace, NamespaceAcls } from '../../events/namespace.js'
import { currentLinks, type NameSource } from '../acl/links.js'

/**
 * A namespace as the read model holds it. Its read forms are made when first asked for and kept until a linked policy
 * or role is renamed or removed.
 */
export class NamespaceRow {
  readonly namespace: Namespace
  readonly partition: string
  #json = ''
  #listJson = ''
  #namesVersion = -1

  constructor(namespace: Namespace, partition: string) {
    this.namespace = namespace
    this.partition = partition
  }

  /** Whether it is marked for deletion. */
  get isEnding(): boolean {
    return this.namespace.DeletedAt !== undefined
  }

  /** The answer of a read (tenancy.md §2.1). */
  json(names: NameSource): string {
    this.#refresh(names)
    return this.#json
  }

  /** The entry in a list: without ACLs when nothing is linked. */
  listJson(names: NameSource): string {
    this.#refresh(names)
    return this.#listJson
  }

  #refresh(names: NameSource): void {
    if (this.#namesVersion === names.namesVersion) return
    const { Name, Description, ACLs, ...rest } = this.namespace
    const head = { Name, ...(Description === undefined ? {} : { Description }) }
    const acls = ACLs && shown(ACLs, names)
    const isEmpty = acls?.PolicyDefaults.length === 0 && acls.RoleDefaults.length === 0
    this.#json = JSON.stringify({ ...head, ...(acls ? { ACLs: acls } : {}), ...rest })
    this.#listJson = isEmpty ? JSON.stringify({ ...head, ...rest }) : this.#json
    this.#namesVersion = names.namesVersion
  }
}

const shown = ({ PolicyDefaults, RoleDefaults }: NamespaceAcls, names: NameSource): NamespaceAcls => ({
  PolicyDefaults: currentLinks(PolicyDefaults, id => names.policyName(id)),
  RoleDefaults: currentLinks(RoleDefaults, id => names.roleName(id))
})
