/** Frequent emoji by their names on Zulip, Discourse, GitHub and GitLab. */
const EMOJI = new Map(
  `+1 👍 thumbs_up 👍 thumbsup 👍 -1 👎 thumbs_down 👎 thumbsdown 👎 ok_hand 👌
  tada 🎉 heart ❤️ rocket 🚀 eyes 👀 fire 🔥 sparkles ✨ star ⭐ pray 🙏 wave 👋
  smile 😄 smiley 😃 slight_smile 🙂 joy 😂 laughing 😆 wink 😉 thinking 🤔 cry 😢
  confused 😕 open_mouth 😮 sweat_smile 😅 clap 👏 muscle 💪 bug 🐛 memo 📝 lock 🔒
  check ✅ white_check_mark ✅ heavy_check_mark ✔️ x ❌ warning ⚠️ construction 🚧
  package 📦 ship 🚢 wrench 🔧 bulb 💡 zap ⚡ coffee ☕ bell 🔔 question ❓`
    .split(/\n *| (?=[\w+-]+ )/)
    .map(pair => pair.split(' ') as [string, string]),
)

/** Codes in a row, apart from words, ports, addresses and code. */
const CODES = /(?<![\w:/`])(?::(?:[+-]1|[a-z][a-z0-9_+-]{0,40}):){1,8}(?![\w:/`])/g

/** Shows `:tada:` as its character, and the code of an emoji without an entry as its name, `party blob`. */
export function withEmoji(text: string): string {
  return text.replaceAll(CODES, codes => codes.slice(1, -1).split('::').map(emojiOf).join(''))
}

function emojiOf(name: string): string {
  return EMOJI.get(name) ?? name.replaceAll('_', ' ')
}
