// Rows of a long list, of which only those in view are in the page: they are made of <span role="cell">, and stand
// below the titles of their columns, which are a row too. It fills the height that is left.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** Height of a row in pixels; `style/content.css` has it too. */
const HEIGHT = 30
/** Rows above and below those in view, so that scrolling shows no gaps. */
const BEYOND = 10

/** The title of a column; those that are wide are left out where there is little room. */
export interface Head {
  readonly title: string
  readonly isWide?: true
}

interface Props {
  readonly count: number
  readonly label: string
  readonly head: readonly Head[]
  readonly row: (index: number) => ComponentChildren
  /** What tells a row from the others, wherever it stands. */
  readonly keyOf: (index: number) => string
}

export const Rows = ({ count, label, head, row, keyOf }: Props) => {
  const box = useRef<HTMLDivElement>(null)
  const [{ top, height }, setView] = useState({ top: 0, height: 0 })
  useLayoutEffect(() => {
    const { current } = box
    if (!current) return
    const look = (): void => setView({ top: current.scrollTop, height: current.clientHeight })
    const sized = new ResizeObserver(look)
    sized.observe(current)
    current.addEventListener('scroll', look, { passive: true })
    return () => {
      sized.disconnect()
      current.removeEventListener('scroll', look)
    }
  }, [])
  const first = Math.max(0, Math.floor(top / HEIGHT) - BEYOND)
  const last = Math.min(count, Math.ceil((top + height) / HEIGHT) + BEYOND)
  const shown = Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at)
  return (
    <div
      ref={box}
      class="rows"
      role="table"
      aria-label={label}
      aria-rowcount={count + 1}
      tabIndex={0}
      style={{ '--columns': head.length }}
    >
      {count > 0 && (
        <div role="rowgroup" class="head">
          <div role="row" aria-rowindex={1} class="row">
            {head.map(({ title, isWide }) => (
              <span role="columnheader" class={isWide && 'wide'} key={title}>
                {title}
              </span>
            ))}
          </div>
        </div>
      )}
      <div role="rowgroup" class="body" style={{ height: `${count * HEIGHT}px` }}>
        {shown.map(index => (
          <div
            key={keyOf(index)}
            role="row"
            aria-rowindex={index + 2}
            class="row"
            style={{ top: `${index * HEIGHT}px` }}
          >
            {row(index)}
          </div>
        ))}
      </div>
    </div>
  )
}
