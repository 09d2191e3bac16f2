// Removable values: <Chips chips={[{ id, name, address }]} remove={id => …} what="policy" />
import { X } from 'lucide'
import { Icon } from './icon.js'

interface Props {
  readonly chips: readonly { readonly id: string; readonly name: string; readonly address?: string }[]
  /** Names the values in the labels of their buttons. */
  readonly what: string
  readonly remove: (id: string) => void
}

export const Chips = ({ chips, what, remove }: Props) => (
  <ul class="chips">
    {chips.map(({ id, name, address }) => (
      <li key={id}>
        {address === undefined ? name : <a href={address}>{name}</a>}
        <button
          type="button"
          class="quiet-button"
          aria-label={`Remove ${what} ${name}`}
          onClick={() => remove(id)}
        >
          <Icon of={X} />
        </button>
      </li>
    ))}
  </ul>
)
