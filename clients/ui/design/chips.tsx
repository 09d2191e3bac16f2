// Removable values: <Chips chips={[{ id, name, address }]} remove={id => …} what="policy" />
import { X } from 'lucide'
import { Button } from './button.js'

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
        <Button
          label={`Remove ${what} ${name}`}
          icon={X}
          isIcon
          act={() => remove(id)}
          class="quiet-button"
        />
      </li>
    ))}
  </ul>
)
