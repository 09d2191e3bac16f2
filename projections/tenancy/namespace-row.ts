// One namespace and its answers, serialised once per change.
import { DEFAULT_TENANCY } from '../../events/envelope.js'
import { namespaceDefinition, type Namespace } from '../../events/namespace.js'
import { currentLinks, type NameSource } from '../acl/links.js'
import { resourceViewsOf } from '../definition/resource-views.js'

const shown = resourceViewsOf(namespaceDefinition)

/**
 * A namespace as the read model holds it. Its read forms are made when first asked for and kept until a
 * linked policy or role is renamed or removed.
 */
export class NamespaceRow {
  #json = ''
  #listJson = ''
  #namesVersion = -1

  constructor(
    readonly namespace: Namespace,
    readonly partition: string
  ) {}

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
    const answer = shown(this.namespace, DEFAULT_TENANCY, { names })
    this.#json = JSON.stringify(answer)
    this.#listJson = this.#hasLinks(names) ? this.#json : JSON.stringify({ ...answer, ACLs: undefined })
    this.#namesVersion = names.namesVersion
  }

  /** Whether it links to anything that still exists. */
  #hasLinks(names: NameSource): boolean {
    const { PolicyDefaults = [], RoleDefaults = [] } = this.namespace.ACLs ?? {}
    return (
      currentLinks(PolicyDefaults, id => names.policyName(id)).length > 0 ||
      currentLinks(RoleDefaults, id => names.roleName(id)).length > 0
    )
  }
}
