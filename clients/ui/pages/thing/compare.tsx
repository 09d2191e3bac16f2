// Any two versions of a thing beside each other.
import { useState } from 'preact/hooks'
import { SideBySide } from '../../parts/side-by-side.js'
import { shown, type Version } from '../../things/versions.js'

interface ChoiceProps {
  readonly label: string
  readonly versions: readonly Version[]
  readonly chosen: Version
  readonly choose: (index: number) => void
}

const Choice = ({ label, versions, chosen, choose }: ChoiceProps) => (
  <label>
    {label}{' '}
    <select value={chosen.Index} onChange={({ currentTarget }) => choose(Number(currentTarget.value))}>
      {versions.map(({ Index, Time }) => (
        <option key={Index} value={Index}>
          {Time ? `${Index}, ${new Date(Time).toLocaleString()}` : Index}
        </option>
      ))}
    </select>
  </label>
)

/** @param versions newest first; nothing is shown of a single one */
export const Compare = ({ versions }: { readonly versions: readonly Version[] }) => {
  const [older, setOlder] = useState<number>()
  const [newer, setNewer] = useState<number>()
  const before = versions.find(({ Index }) => Index === older) ?? versions[1]
  const after = versions.find(({ Index }) => Index === newer) ?? versions[0]
  if (!before || !after) return null
  return (
    <section aria-label="Two versions">
      <h2>Two versions</h2>
      <p class="choices">
        <Choice label="Before" versions={versions} chosen={before} choose={setOlder} />
        <Choice label="After" versions={versions} chosen={after} choose={setNewer} />
      </p>
      <SideBySide
        before={{ title: `as of ${before.Index}`, text: shown(before.Payload) }}
        after={{ title: `as of ${after.Index}`, text: shown(after.Payload) }}
      />
    </section>
  )
}
