// Ways to what is in a namespace or partition: the lists of the pages, which then show what is there.
import { accessKinds, catalogKinds, meshKinds, namespaces, keysKinds } from '../../../resources/kinds.js'
import type { Kind } from '../../../resources/kind.js'

interface Props {
  /** Undefined for all of the partition. */
  readonly namespace: string | undefined
  readonly partition: string | undefined
}

const KINDS: readonly Kind[] = [...accessKinds, ...catalogKinds, ...keysKinds, ...meshKinds]

export const TenancyLinks = ({ namespace, partition }: Props) => {
  const query = new URLSearchParams({ ns: namespace ?? '*', partition: partition ?? 'default' })
  const kinds = namespace === undefined ? [namespaces, ...KINDS] : KINDS
  return (
    <section aria-label="In it">
      <h2>In it</h2>
      <p class="in-it">
        {kinds.map(({ path, title }) => (
          <a key={path} href={`/ui/${path}?${query}`}>
            {title}
          </a>
        ))}
      </p>
    </section>
  )
}
