import{a,b}from"./part-VR6THCVF.js";import"./part-2KFJMX2A.js";import"./part-LVE3R7SO.js";import"./part-JIJGW7VV.js";import"./part-GGBQFXN7.js";export{b as SignInCard,a as default};
