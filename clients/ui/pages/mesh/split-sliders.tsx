// Sliders for the weights of a service-splitter, whose sum stays 100 %.
import { parseObject } from '../../../../events/values.js'
import { useId } from 'preact/hooks'
import { textOf } from '../../resources/kind.js'

type Split = Readonly<Record<string, unknown>>

const TOTAL = 100
/** Weights have two decimals. */
const PRECISION = 100

const rounded = (weight: number): number => Math.round(weight * PRECISION) / PRECISION

const weightOf = (split: Split): number => Number(split['Weight'] ?? 0)

/** Returns the weights after one changed: the others share the rest in their proportions. */
const rebalanced = (weights: readonly number[], at: number, weight: number): readonly number[] => {
  const rest = TOTAL - weight
  const before = weights.reduce((sum, each, place) => (place === at ? sum : sum + each), 0)
  const last = weights.findLastIndex((_, place) => place !== at)
  let left = rest
  return weights.map((each, place) => {
    if (place === at) return weight
    const share = before === 0 ? rest / (weights.length - 1) : (each / before) * rest
    const own = place === last ? left : Math.min(left, rounded(share))
    left = rounded(left - own)
    return rounded(own)
  })
}

/** Returns the splits of an entry in JSON; undefined if it is no splitter with several. */
const splitsIn = (
  text: string
): { readonly entry: object; readonly splits: readonly Split[] } | undefined => {
  const entry = parseObject(text) ?? {}
  const { Kind, Splits } = entry
  if (Kind !== 'service-splitter' || !Array.isArray(Splits) || Splits.length < 2) return undefined
  return { entry, splits: Splits.map(split => Object(split)) }
}

const nameOf = ({ Service, ServiceSubset, Namespace }: Split): string => {
  const [service, subset, ns] = [Service, ServiceSubset, Namespace].map(textOf)
  return [service || 'This service', subset && `subset ${subset}`, ns && `namespace ${ns}`]
    .filter(Boolean)
    .join(', ')
}

interface Props {
  /** The entry in JSON. */
  readonly text: string
  readonly change: (text: string) => void
}

export const SplitSliders = ({ text, change }: Props) => {
  const id = useId()
  const found = splitsIn(text)
  if (!found) return null
  const { entry, splits } = found
  const set = (at: number, weight: number): void => {
    const weights = rebalanced(splits.map(weightOf), at, weight)
    const Splits = splits.map((split, place) => ({ ...split, Weight: weights[place] }))
    change(JSON.stringify({ ...entry, Splits }, undefined, 2))
  }
  return (
    <div role="group" aria-label="Weights" class="weights">
      {splits.map((split, at) => (
        <div key={at}>
          <label for={`${id}-${at}`}>{nameOf(split)}</label>
          <input
            id={`${id}-${at}`}
            type="range"
            max={TOTAL}
            value={weightOf(split)}
            onInput={({ currentTarget }) => set(at, currentTarget.valueAsNumber)}
          />
          <input
            type="number"
            aria-label={`Weight of ${nameOf(split)} in percent`}
            min={0}
            max={TOTAL}
            step={1 / PRECISION}
            value={weightOf(split)}
            onChange={({ currentTarget: { valueAsNumber } }) => {
              if (valueAsNumber >= 0 && valueAsNumber <= TOTAL) set(at, rounded(valueAsNumber))
            }}
          />
          %
        </div>
      ))}
    </div>
  )
}
