// Two texts next to each other, with the lines marked that only one of them has.
import { diffLines, type ChangeObject } from 'diff'

interface Side {
  readonly title: string
  readonly text: string
}

const Column = ({
  title,
  parts,
  mark
}: {
  readonly title: string
  readonly parts: readonly ChangeObject<string>[]
  readonly mark: 'added' | 'removed'
}) => (
  <figure>
    <figcaption>{title}</figcaption>
    <pre class="payload">
      {parts
        .filter(part => part[mark] || (!part.added && !part.removed))
        .map((part, at) => {
          if (!part[mark]) return <span key={at}>{part.value}</span>
          return mark === 'added' ? <ins key={at}>{part.value}</ins> : <del key={at}>{part.value}</del>
        })}
    </pre>
  </figure>
)

export const SideBySide = ({ before, after }: { readonly before: Side; readonly after: Side }) => {
  const parts = diffLines(before.text, after.text)
  return (
    <div class="sides">
      <Column title={before.title} parts={parts} mark="removed" />
      <Column title={after.title} parts={parts} mark="added" />
    </div>
  )
}
