import{a,b}from"./part-3IFO6JPO.js";import"./part-77UEBFJD.js";import"./part-LVE3R7SO.js";import"./part-USA5BCHI.js";import"./part-GGBQFXN7.js";export{b as SignInCard,a as default};
