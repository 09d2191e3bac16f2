import { Button } from '../../../design/index.js'

export interface Identity {
  readonly name: string
  /** Names of datacenters, separated by commas. */
  readonly where: string
}

interface Props {
  readonly title: string
  /** The singular, such as `service`. */
  readonly one: string
  readonly where: string
  readonly value: readonly Identity[]
  readonly change: (identities: readonly Identity[]) => void
}

export const IdentitiesField = ({ title, one, where, value: identities, change }: Props) => {
  const put = (at: number, part: Partial<Identity>): void =>
    change(identities.map((identity, place) => (place === at ? { ...identity, ...part } : identity)))
  return (
    <div role="group" aria-label={title} class="field">
      <span>{title}</span>
      {identities.map((identity, at) => (
        <p class="choices" key={at}>
          <input
            aria-label={`Name of ${one} ${at + 1}`}
            placeholder={`Name of a ${one}`}
            required
            value={identity.name}
            onInput={({ currentTarget }) => put(at, { name: currentTarget.value.trim() })}
          />
          <input
            aria-label={`Datacenters of ${one} ${at + 1}`}
            placeholder={where}
            value={identity.where}
            onInput={({ currentTarget }) => put(at, { where: currentTarget.value })}
          />
          <Button
            label="×"
            act={() => change(identities.filter((_, place) => place !== at))}
            aria-label={`Remove ${one} ${identity.name || at + 1}`}
          />
        </p>
      ))}
      <p>
        <Button label={`Add ${one}`} act={() => change([...identities, { name: '', where: '' }])} />
      </p>
    </div>
  )
}
