import{a,b}from"./part-4MOQJCKE.js";import"./part-ZRLLPYCU.js";export{b as SignInCard,a as default};
