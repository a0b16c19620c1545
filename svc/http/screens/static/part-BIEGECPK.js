import{a,b}from"./part-IGOO5AD4.js";import"./part-ZMRKAGB7.js";import"./part-LVE3R7SO.js";import"./part-CY4MNBSG.js";import"./part-GGBQFXN7.js";export{b as SignInCard,a as default};
